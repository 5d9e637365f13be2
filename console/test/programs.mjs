// SPDX-License-Identifier: Apache-2.0
//
// Runs the programs that pages write, in the languages and with the libraries that people use.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";

const tests = new URL("../../test/", import.meta.url).pathname; // a module of Go with the AWS SDK and MySQL's driver in it
const clients = `${tests}clients/`; // where test/clients/install puts libraries of other languages

/** pythonWith is a Python that has a library: that of the clients' tests, or the system's. */
function pythonWith(library) {
  const there = [`${clients}.venv-sql/bin/python3`, `${clients}.venv/bin/python3`, "python3"].find((python) => {
    try {
      execFileSync(python, ["-c", `import ${library}`], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });
  return there ?? assert.fail(`no Python has ${library}`);
}

const env = { ...process.env, AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x", AWS_DEFAULT_REGION: "us-east-1", AWS_PAGER: "", CGO_ENABLED: "0" };
const execute = (program, args, options = {}) => String(execFileSync(program, args, { env, stdio: ["pipe", "pipe", "pipe"], ...options }));

/** shell runs commands with a tool, python and node programs with a library. `there` throws where they are not; `run` returns what the code prints. */
export const shell = (tool) => ({ there: () => execute("sh", ["-c", `command -v ${tool}`]), run: (code) => execute("sh", ["-c", code]) });
export const python = (library) => ({ there: () => pythonWith(library), run: (code) => execute(pythonWith(library), ["-c", code]) });
export const node = (library) => ({ there: () => existsSync(`${clients}node_modules/${library}`) || assert.fail(`there is no ${library}`), run: (code) => execute("node", ["--input-type=module", "-e", code], { cwd: clients }) });
export const go = { there: () => execute("go", ["version"]), run: (code) => execute("sh", ["-c", "d=$(mktemp -d) && cat >$d/main.go && go run $d/main.go; rc=$?; rm -r $d; exit $rc"], { input: code, cwd: tests }) };

/**
 * runEach shows the code of each language and runs it: check is told the language and what it has printed. A language without its program or library here is
 * skipped. listing finds the code on the page, in a group of buttons named by group.
 */
export async function runEach(t, page, group, languages, check, listing = ".listing") {
  for (const [language, program] of Object.entries(languages)) {
    await t.test(language, async (t) => {
      try {
        program.there();
      } catch {
        return t.skip("its program or library is not installed here");
      }
      await page.getByRole("group", { name: group }).last().getByRole("button", { name: language, exact: true }).click();
      await check(program.run(await page.locator(listing).textContent()), language);
    });
  }
}
