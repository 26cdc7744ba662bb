// Shows every call with a form to try it. Without this script the table above says the same.
"use strict";
const page = document.getElementById("main");
const place = document.querySelector(".swagger");
place.hidden = false;

// What the library leaves out for those who use keys or listen: names of choices, a way into boxes that scroll.
// It has a main part of its own, and a page may have one only.
function mend() {
  if (place.querySelector("main")) page.removeAttribute("role");
  place.querySelectorAll("select:not([aria-label])").forEach((one) => {
    one.setAttribute("aria-label", one.closest("tr")?.dataset.paramName || "Media type");
  });
  place.querySelectorAll("pre:not([tabindex])").forEach((one) => one.setAttribute("tabindex", "0"));
}
new MutationObserver(mend).observe(place, { childList: true, subtree: true });

window.SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: false,
  defaultModelsExpandDepth: -1,
  docExpansion: "list",
  tryItOutEnabled: true,
  validatorUrl: null,
  syntaxHighlight: false,
});
