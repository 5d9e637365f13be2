// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { isDark } from "../theme";

interface Series {
  title: string;
  values: (number | null)[];
}

const colours = { light: ["#0f766e", "#b45309", "#6d28d9", "#be123c"], dark: ["#2dd4bf", "#fbbf24", "#a78bfa", "#fb7185"] };

/** spanMin is the least time that a chart shows, in seconds. */
const spanMin = 60;

const clock = (at: number): string => new Date(at * 1000).toLocaleTimeString("en-GB");

function optionsOf(titles: string[], format: (n: number) => string, width: number): uPlot.Options {
  const dark = isDark.value;
  const axis = { stroke: dark ? "#94a3b8" : "#64748b", grid: { stroke: dark ? "#1e293b" : "#e8ecf1", width: 1 }, ticks: { show: false }, font: "11px system-ui" };
  return {
    width,
    height: 180,
    padding: [8, 8, 0, 0],
    cursor: { y: false, points: { size: 6 } },
    legend: { live: true },
    scales: { x: { range: (_, min, max) => [Math.min(min, max - spanMin), max] }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [{ ...axis, size: 28, space: 90, incrs: [10, 30, 60, 120, 300], values: (_, list) => list.map(clock) }, { ...axis, size: 64, values: (_, list) => list.map(format) }],
    series: [
      { label: "Time", value: (_, at) => (at === null ? "–" : clock(at)) },
      ...titles.map((label, i) => ({
        label,
        stroke: colours[dark ? "dark" : "light"][i % 4],
        width: 1.5,
        points: { show: false },
        value: (_: uPlot, n: number | null) => (n === null ? "–" : format(n)),
      })),
    ],
  };
}

/** Chart draws series over time. Times are seconds. */
export function Chart({ times, series, format }: { times: number[]; series: Series[]; format: (n: number) => string }) {
  const element = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const titles = series.map((s) => s.title).join("\n");
  const data: uPlot.AlignedData = [times, ...series.map((s) => s.values)];
  useEffect(() => {
    const place = element.current!;
    plot.current = new uPlot(optionsOf(titles.split("\n"), format, place.clientWidth), data, place);
    const resize = new ResizeObserver(() => plot.current?.setSize({ width: place.clientWidth, height: 180 }));
    resize.observe(place);
    return () => {
      resize.disconnect();
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [titles, isDark.value]);
  useEffect(() => plot.current?.setData(data));
  return <div ref={element} class="chart" role="img" aria-label={`Chart of ${titles.replaceAll("\n", ", ")}`} />;
}
