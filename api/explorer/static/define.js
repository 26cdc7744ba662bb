// D3 is packaged as an AMD module. This is the minimal AMD loader it needs.
"use strict";
window.require = { defined: () => false };
window.define = (name, dependencies, factory) => factory((window.d3 = {}));
