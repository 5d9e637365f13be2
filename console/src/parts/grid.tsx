// SPDX-License-Identifier: Apache-2.0

import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** rowHeight is that of every row, in pixels: so the place of a row needs no measuring, however many there are. */
const rowHeight = 28;

/** overscan is how many rows beyond the view are elements, on either side: a scroll shows these before the page can draw. One that jumps by half a view would not see them. */
const overscan = 6;
const overscanFar = 1;

/** digitWidth is what a digit takes, letterWidth the most that a letter usually does, and padding what a cell has on both sides, in pixels. */
const digitWidth = 8.7;
const letterWidth = 10;
const padding = 20;

/** widthOf is the width of a column for texts of so many characters. */
export const widthOf = (characters: number): number => Math.ceil(digitWidth * characters + padding);

/** isLong says whether a text may not fit into a column: only such a cell cuts it, which costs. */
const isLong = (text: string, c: GridColumn): boolean => text.length * (c.number ? digitWidth : letterWidth) + padding > c.width || /[\u1100-\uffff]/.test(text);

/** blockRows is how many rows are placed from one beginning, so that places stay numbers that browsers are exact with. */
const blockRows = 8192;

/** Browsers end elements at some 16 million pixels: beyond this the height stands for more rows. */
const heightMax = 12_000_000;

export interface GridColumn {
  name: string;
  title?: ComponentChildren;
  width: number;
  number?: boolean;
}

interface Props {
  columns: GridColumn[];
  rows: number;
  cell: (row: number, column: number) => ComponentChildren;
  cellClass?: (row: number, column: number) => string;
  tip?: (row: number, column: number) => string; // what is shown of a cell under the pointer
  label: string;
  open?: (row: number) => void;
  near?: () => void; // the end is near: more rows may be fetched
  className?: (row: number) => string;
}

interface RowProps extends Pick<Props, "columns" | "cell" | "cellClass" | "className"> {
  row: number;
  y: number; // pixels below the beginning of its block
  template: string;
  width: number;
  current: Signal<number>;
}

/** Row is one row. As it reads a signal, it is rendered again only if that changes or one of its properties: when the grid is scrolled, rows that stay in view are left alone. */
function Row({ row, y, template, width, columns, cell, cellClass, className, current }: RowProps) {
  return (
    <div
      role="row"
      aria-rowindex={row + 1}
      class={`grid-row ${row === current.value ? "current" : ""} ${className?.(row) ?? ""}`}
      style={{ gridTemplateColumns: template, width: `${width}px`, transform: `translateY(${y}px)` }}
    >
      {columns.map((c, i) => {
        const content = cell(row, i);
        const long = typeof content === "string" && isLong(content, c);
        return (
          <div key={c.name} role="gridcell" class={`${c.number ? "number" : ""} ${long ? "long" : ""} ${cellClass?.(row, i) ?? ""}`}>
            {content}
          </div>
        );
      })}
    </div>
  );
}

/** cellOf is the cell that an event happened in, and its column. */
function cellOf(e: Event): { element?: HTMLElement; column: number } {
  const element = (e.target as Element).closest<HTMLElement>('[role="gridcell"]');
  return element ? { element, column: [...element.parentElement!.children].indexOf(element) } : { column: -1 };
}

/** rowAt is the row that an event happened in. */
function rowAt(e: Event): number | undefined {
  const element = (e.target as Element).closest("[aria-rowindex]");
  return element ? Number(element.getAttribute("aria-rowindex")) - 1 : undefined;
}

/** Grid shows any number of rows; only those in view are elements. Arrows, Page Up and Down, Home and End move the row that Enter opens. */
export function Grid({ columns, rows, cell, cellClass, tip, label, open, near, className }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(400);
  const current = useSignal(0);
  const whole = rows * rowHeight;
  const shown = Math.min(whole, heightMax);
  const scale = shown > height.value && whole > shown ? (whole - height.value) / (shown - height.value) : 1;
  const before = useRef(0);
  const beyond = Math.abs(top.value - before.current) > height.value / 2 ? overscanFar : overscan;
  before.current = top.value;
  const first = Math.max(0, Math.floor((top.value * scale) / rowHeight) - beyond);
  const last = Math.min(rows, Math.ceil((top.value * scale + height.value) / rowHeight) + beyond);
  useLayoutEffect(() => {
    const element = place.current!; // which the last change of size may outlive
    const resize = new ResizeObserver(() => (height.value = element.clientHeight - rowHeight));
    resize.observe(element);
    return () => resize.disconnect();
  }, []);
  useEffect(() => {
    if (last >= rows - 2 * overscan) near?.();
  }, [last, rows]);
  const move = (to: number) => {
    current.value = Math.max(0, Math.min(rows - 1, to));
    const y = (current.value * rowHeight) / scale;
    const element = place.current!;
    if (y < element.scrollTop) element.scrollTop = y;
    if (y + rowHeight > element.scrollTop + height.value) element.scrollTop = y + rowHeight - height.value;
  };
  const page = Math.floor(height.value / rowHeight) - 1;
  const steps: Record<string, () => void> = {
    ArrowDown: () => move(current.value + 1),
    ArrowUp: () => move(current.value - 1),
    PageDown: () => move(current.value + page),
    PageUp: () => move(current.value - page),
    Home: () => move(0),
    End: () => move(rows - 1),
    Enter: () => open?.(current.value),
  };
  const template = columns.map((c) => `${c.width}px`).join(" ");
  const width = columns.reduce((sum, c) => sum + c.width, 0);
  const block = first - (first % blockRows);
  const slots = Math.ceil(height.value / rowHeight) + 2 * overscan + 2; // at least as many as rows are elements: an element takes the next row when its own leaves
  return (
    <div
      ref={place}
      class="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={rows}
      tabIndex={0}
      onScroll={(e) => (top.value = e.currentTarget.scrollTop)}
      onKeyDown={(e) => {
        const step = e.target === e.currentTarget ? steps[e.key] : undefined;
        if (step) {
          e.preventDefault();
          step();
        }
      }}
    >
      <div class="grid-head" role="row" style={{ gridTemplateColumns: template }}>
        {columns.map((c) => (
          <div key={c.name} role="columnheader" class={c.number ? "number" : ""}>
            {c.title ?? c.name}
          </div>
        ))}
      </div>
      <div role="presentation" style={{ height: `${shown}px` }}>
        <div
          class="grid-rows"
          role="rowgroup"
          style={{ transform: `translateY(${block * rowHeight - top.value * scale + top.value}px)` }}
          onClick={(e) => (current.value = rowAt(e) ?? current.value)}
          onPointerOver={(e) => {
            const { element, column } = cellOf(e);
            if (element && tip) element.title = tip(rowAt(e)!, column);
          }}
          onPointerOut={(e) => cellOf(e).element?.removeAttribute("title")}
          onDblClick={(e) => {
            const row = rowAt(e);
            if (row !== undefined) open?.(row);
          }}
        >
          {Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i).map((row) => (
            <Row key={row % slots} row={row} y={(row - block) * rowHeight} template={template} width={width} columns={columns} cell={cell} cellClass={cellClass} className={className} current={current} />
          ))}
        </div>
      </div>
    </div>
  );
}
