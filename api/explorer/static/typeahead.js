// Type-ahead for every box that asks for it: the combobox pattern of ARIA, over GET /suggest.
// Without this script each box is a plain field of its form, and works.
"use strict";

const PAUSE = 120; // milliseconds without a key before the service is asked
const MOST = 8;
const KINDS = {
  disability: "Condition", limitation: "Limitation", workrelatedfunction: "Work-related function",
  solution: "Accommodation", product: "Product", vendor: "Vendor", occupation: "Occupation", ability: "Ability",
};

function typeahead(combo) {
  const input = combo.querySelector("input");
  const list = document.createElement("ul");
  const told = document.createElement("div");
  let found = [], chosen = -1, waiting = 0, asking = null;

  list.id = `${input.id}-list`;
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  told.className = "hidden";
  told.setAttribute("role", "status");
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-controls", list.id);
  combo.append(list, told);

  const close = () => {
    list.hidden = true;
    chosen = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const choose = (place) => {
    chosen = place;
    [...list.children].forEach((option, at) => option.setAttribute("aria-selected", String(at === place)));
    if (place < 0) {
      input.removeAttribute("aria-activedescendant");
      return;
    }
    input.setAttribute("aria-activedescendant", list.children[place].id);
    list.children[place].scrollIntoView({ block: "nearest" });
  };

  const take = (hit) => {
    close();
    if (combo.dataset.fill === "page") {
      window.location.assign(`/explore${hit.url}`);
      return;
    }
    input.value = combo.dataset.fill === "id" ? hit.id : hit.name;
    told.textContent = `${hit.name} chosen`;
  };

  const show = (hits) => {
    found = hits;
    list.replaceChildren(...hits.map((hit, at) => {
      const option = document.createElement("li");
      const note = document.createElement("small");
      const other = hit.match.field === "aliases" && hit.match.text ? `, also called ${hit.match.text}` : "";
      option.id = `${list.id}-${at}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      note.textContent = `${KINDS[hit.type]}${other}`;
      option.append(hit.name, note);
      option.addEventListener("mousedown", (event) => { event.preventDefault(); take(hit); });
      return option;
    }));
    chosen = -1;
    list.hidden = hits.length === 0;
    input.setAttribute("aria-expanded", String(hits.length > 0));
    input.removeAttribute("aria-activedescendant");
    told.textContent = hits.length ? `${hits.length} suggestions` : "No suggestions";
  };

  const ask = async () => {
    const typed = input.value.trim();
    asking?.abort();
    if (!typed) {
      close();
      return;
    }
    asking = new AbortController();
    const params = new URLSearchParams({ query: typed, limit: String(MOST) });
    for (const type of (combo.dataset.scope || "").split(" ").filter(Boolean)) params.append("scope", type);
    try {
      const answer = await fetch(`/suggest?${params}`, { signal: asking.signal, headers: { Accept: "application/json" } });
      if (answer.ok && document.activeElement === input) show((await answer.json()).results);
    } catch (error) {
      if (error.name !== "AbortError") close(); // the form works without suggestions
    }
  };

  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, PAUSE);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const open = !list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!open) {
        if (event.key === "ArrowDown" && input.value.trim()) ask();
        return;
      }
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      choose(((chosen + 1 + step + found.length + 1) % (found.length + 1)) - 1);
    } else if (event.key === "Enter" && open && chosen >= 0) {
      event.preventDefault();
      take(found[chosen]);
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      close();
    }
  });
}

document.querySelectorAll("[data-suggest]").forEach(typeahead);
