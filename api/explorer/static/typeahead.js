// Autocomplete for input fields: the ARIA combobox pattern over GET /suggest.
// Without this script each field is a plain input of its form.
"use strict";

const DEBOUNCE_MS = 120;
const MAX_SUGGESTIONS = 8;
const TYPE_LABELS = {
  disability: "Condition", limitation: "Limitation", workrelatedfunction: "Work-related function",
  solution: "Accommodation", product: "Product", vendor: "Vendor", occupation: "Occupation", ability: "Ability",
};

function typeahead(combo) {
  const input = combo.querySelector("input");
  const list = document.createElement("ul");
  const status = document.createElement("div");
  let suggestions = [], active = -1, timer = 0, pending = null;

  list.id = `${input.id}-list`;
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  status.className = "hidden";
  status.setAttribute("role", "status");
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-autocomplete", "list");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-controls", list.id);
  combo.append(list, status);

  const close = () => {
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };

  const activate = (index) => {
    active = index;
    [...list.children].forEach((option, position) => option.setAttribute("aria-selected", String(position === index)));
    if (index < 0) {
      input.removeAttribute("aria-activedescendant");
      return;
    }
    input.setAttribute("aria-activedescendant", list.children[index].id);
    list.children[index].scrollIntoView({ block: "nearest" });
  };

  const select = (hit) => {
    close();
    if (combo.dataset.fill === "page") {
      window.location.assign(`/explore${hit.url}`);
      return;
    }
    input.value = combo.dataset.fill === "id" ? hit.id : hit.name;
    status.textContent = `${hit.name} selected`;
  };

  const show = (hits) => {
    suggestions = hits;
    list.replaceChildren(...hits.map((hit, index) => {
      const option = document.createElement("li");
      const note = document.createElement("small");
      const alias = hit.match.field === "aliases" && hit.match.text ? `, also known as ${hit.match.text}` : "";
      option.id = `${list.id}-${index}`;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      note.textContent = `${TYPE_LABELS[hit.type]}${alias}`;
      option.append(hit.name, note);
      option.addEventListener("mousedown", (event) => { event.preventDefault(); select(hit); });
      return option;
    }));
    active = -1;
    list.hidden = hits.length === 0;
    input.setAttribute("aria-expanded", String(hits.length > 0));
    input.removeAttribute("aria-activedescendant");
    status.textContent = hits.length ? `${hits.length} suggestions` : "No suggestions";
  };

  const fetchSuggestions = async () => {
    const query = input.value.trim();
    pending?.abort();
    if (!query) {
      close();
      return;
    }
    pending = new AbortController();
    const params = new URLSearchParams({ query, limit: String(MAX_SUGGESTIONS) });
    for (const type of (combo.dataset.scope || "").split(" ").filter(Boolean)) params.append("scope", type);
    try {
      const response = await fetch(`/suggest?${params}`, { signal: pending.signal, headers: { Accept: "application/json" } });
      if (response.ok && document.activeElement === input) show((await response.json()).results);
    } catch (error) {
      if (error.name !== "AbortError") close(); // the form works without suggestions
    }
  };

  input.addEventListener("input", () => {
    // A browser removes line breaks from pasted text, but not the tabs of a table, which are not valid in an address.
    if (input.value.includes("\t")) input.value = input.value.replaceAll("\t", " ");
    clearTimeout(timer);
    timer = setTimeout(fetchSuggestions, DEBOUNCE_MS);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const open = !list.hidden;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!open) {
        if (event.key === "ArrowDown" && input.value.trim()) fetchSuggestions();
        return;
      }
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      activate(((active + 1 + step + suggestions.length + 1) % (suggestions.length + 1)) - 1);
    } else if (event.key === "Enter" && open && active >= 0) {
      event.preventDefault();
      select(suggestions[active]);
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      close();
    }
  });
}

document.querySelectorAll("[data-suggest]").forEach(typeahead);
