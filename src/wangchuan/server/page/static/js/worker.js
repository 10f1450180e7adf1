// The layout, beside the page, so that the page stays quick meanwhile.

import "../vendor/d3-dispatch.js";
import "../vendor/d3-quadtree.js";
import "../vendor/d3-timer.js";
import "../vendor/d3-force.js";
import { arrange } from "./layout.js";

self.onmessage = ({ data }) => self.postMessage({ asked: data.asked, places: arrange(data.network, data.before) });
