// Shows every call with a form to try it. Without this script the table above says the same.
"use strict";
document.querySelector(".swagger").hidden = false;
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
