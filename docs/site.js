/* What the theme leaves out for keys and screen readers: a name for the search, and tables that arrow keys can scroll. */
"use strict";

function mend() {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  for (const buttons of document.querySelectorAll(".md-code__nav")) buttons.setAttribute("role", "none");
  for (const wide of document.querySelectorAll(".md-typeset__scrollwrap")) wide.tabIndex = 0;
}

mend();
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
