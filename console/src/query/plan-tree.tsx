// SPDX-License-Identifier: Apache-2.0

import { about, count, counted } from "../format";
import { estimateError, type PlanNode } from "./plan";

/** thicknessOf shows the number of rows by the width of a line, on a logarithmic scale. */
const thicknessOf = (n: PlanNode): number => Math.min(10, 1 + Math.log10(1 + (n.actual ?? n.estimated ?? 0)) * 1.5);

function Node({ node }: { node: PlanNode }) {
  const error = estimateError(node);
  return (
    <li style={{ borderLeftWidth: `${thicknessOf(node)}px` }} class={error !== undefined && error > 10 ? "wrong" : ""}>
      <details open={node.inputs.length === 0}>
        <summary>
          <strong>{node.title}</strong>
          {node.badges.map((b) => (
            <span key={b.text} class={`badge ${b.bad ? "danger" : ""}`}>
              {b.text}
            </span>
          ))}
          <span class="numbers">
            {node.estimated !== undefined && <>about {about(node.estimated)} {Math.round(node.estimated) === 1 ? "row" : "rows"}</>}
            {node.actual !== undefined && <>, {count(node.actual)} actual</>}
            {node.loops !== undefined && node.loops > 1 && <> in {counted(node.loops, "loop")}</>}
            {error !== undefined && error > 10 && <>: wrong by a factor of {count(error)}</>}
          </span>
        </summary>
        <dl class="facts code">
          {node.details.map((d, i) => (
            <>
              <dt>{i > 0 && node.details[i - 1]!.about === d.about ? "" : d.about}</dt>
              <dd>{d.text}</dd>
            </>
          ))}
        </dl>
      </details>
      {node.inputs.length > 0 && (
        <ul>
          {node.inputs.map((n, i) => (
            <Node key={i} node={n} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** PlanTree shows a plan: a step above those whose rows it takes. */
export function PlanTree({ nodes }: { nodes: PlanNode[] }) {
  return (
    <ul class="plan">
      {nodes.map((n, i) => (
        <Node key={i} node={n} />
      ))}
    </ul>
  );
}
