// SPDX-License-Identifier: Apache-2.0

import { render } from "preact";
import "./style.css";
import { readSession } from "./api";
import { Shell } from "./shell";
import { applyTheme } from "./theme";

applyTheme();
void readSession().catch(() => undefined); // the pages themselves say that no server answers
render(<Shell />, document.getElementById("app")!);
