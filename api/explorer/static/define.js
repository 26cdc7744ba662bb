// The library of the picture comes as a module for a loader. This is all the loader it needs.
"use strict";
window.require = { defined: () => false };
window.define = (name, needs, make) => make((window.d3 = {}));
