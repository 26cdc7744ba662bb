// Shows Swagger UI, a form for each call of the API. Without this script, the table above lists the calls.
"use strict";
const page = document.getElementById("main");
const swagger = document.querySelector(".swagger");
swagger.hidden = false;

// Swagger UI leaves out labels of its selects and keyboard access to scrolling code boxes. It also brings its own
// `main` element, and a page may have only one.
function fixAccessibility() {
  if (swagger.querySelector("main")) page.removeAttribute("role");
  swagger.querySelectorAll("select:not([aria-label])").forEach((select) => {
    select.setAttribute("aria-label", select.closest("tr")?.dataset.paramName || "Media type");
  });
  swagger.querySelectorAll("pre:not([tabindex])").forEach((box) => box.setAttribute("tabindex", "0"));
}
new MutationObserver(fixAccessibility).observe(swagger, { childList: true, subtree: true });

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
