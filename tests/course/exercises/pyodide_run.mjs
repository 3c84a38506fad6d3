// Runs the Python text of standard input under Pyodide, with the repository as /course:
//   node pyodide_run.mjs ROOT
import { readFileSync } from "node:fs";

const root = process.argv[2];
const { loadPyodide } = await import(`${root}/node_modules/pyodide/pyodide.mjs`);
const python = await loadPyodide();
python.FS.mkdirTree("/course");
python.mountNodeFS("/course", root);
python.runPython("import sys; sys.path.append('/course')");
python.runPython(readFileSync(0, "utf8"));
