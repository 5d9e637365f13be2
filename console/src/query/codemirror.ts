// SPDX-License-Identifier: Apache-2.0

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionSource } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { keywordCompletionSource, MySQL, sql, SQLDialect } from "@codemirror/lang-sql";
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, Prec } from "@codemirror/state";
import { drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Table } from "../tables/table";
import { completeJSON, completeSQL, dynamoMembers, hbaseMembers, inPartiQL, inSQL } from "./complete";

/** Dialect is the language of a request. */
export type Dialect = "sql" | "dynamodb" | "partiql" | "hbase";

/** Wishes are what an editor is made of. */
export interface Wishes {
  dialect: Dialect;
  label: string; // its name, for people who don't see it
  text: string;
  tables: () => Table[];
  database: () => string;
  changed: (text: string) => void;
  run: () => void;
}

// The colours are those of the console: its properties reach into the editor.
const look = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--raised)", border: "1px solid var(--strong-line)", borderRadius: "6px", font: '12.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace', maxHeight: "40vh" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { font: "inherit", overflow: "auto" },
  ".cm-content": { minHeight: "110px", caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--side)", color: "var(--muted)", borderRight: "1px solid var(--line)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--select)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--select)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", border: "1px solid var(--strong-line)", borderRadius: "6px", color: "var(--text)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.75" },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.bool, tags.null], color: "var(--accent)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number], color: "var(--warning)" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.propertyName], color: "var(--accent)" },
]);

/** selectionIn is what is selected in the browser. Chromium tells it of a shadow tree, other browsers of the document. */
function selectionIn(view: EditorView): Selection | null {
  const root = view.root as { getSelection?: () => Selection | null };
  return root.getSelection ? root.getSelection() : document.getSelection();
}

/**
 * Typed text goes into the document by itself: a browser that replaces coloured text gives the new one a style of its own, which the console's policy
 * forbids, and complains about.
 */
const typing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== "insertText" || event.data === null || view.composing || view.state.readOnly) return false;
    const text = event.data;
    const selected = selectionIn(view); // newer than the editor's own selection, which follows it
    if (!selected?.anchorNode || !selected.focusNode || view.state.selection.ranges.length > 1) return false;
    const ends = [view.posAtDOM(selected.anchorNode, selected.anchorOffset), view.posAtDOM(selected.focusNode, selected.focusOffset)];
    const [from, to] = [Math.min(...ends), Math.max(...ends)];
    const insert = () => view.state.update({ changes: { from, to, insert: text }, selection: { anchor: from + text.length }, userEvent: "input.type", scrollIntoView: true });
    if (!view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, text, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

/** partiql is what DynamoDB has of that language. */
const partiql = SQLDialect.define({
  keywords: "select from where and or not between in is missing null order by asc desc insert into value update set remove delete returning all old new modified exists true false",
  builtin: "attribute_type begins_with contains size list_append set_add set_delete",
});

/** keywordsOf are offered but after a dot, where names stand. */
const keywordsOf = (dialect: SQLDialect): CompletionSource => {
  const every = keywordCompletionSource(dialect, true);
  return (context) => (context.matchBefore(/\.[\w$`]*/) ? null : every(context));
};

const sourcesOf = (o: Wishes): CompletionSource[] => {
  if (o.dialect === "sql") return [completeSQL(o.tables, o.database, inSQL), keywordsOf(MySQL)];
  if (o.dialect === "hbase") return [completeJSON(hbaseMembers, () => o.tables().filter((t) => t.families))];
  const own = () => o.tables().filter((t) => t.database === o.database() && !t.families);
  if (o.dialect === "partiql") return [completeSQL(own, o.database, inPartiQL), keywordsOf(partiql)];
  return [completeJSON(dynamoMembers, own)];
};

/** mount puts an editor into an element. It stands in a shadow tree, where it may bring its styles without a style element, which the console's policy forbids. */
export function mount(place: HTMLElement, o: Wishes): EditorView {
  const root = place.shadowRoot ?? place.attachShadow({ mode: "open" });
  return new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: o.text,
      extensions: [
        Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (o.run(), true) }])),
        lineNumbers(),
        history(),
        drawSelection(),
        typing,
        bracketMatching(),
        closeBrackets(),
        EditorState.tabSize.of(2),
        o.dialect === "sql" || o.dialect === "partiql" ? sql({ dialect: o.dialect === "sql" ? MySQL : partiql }) : json(),
        autocompletion({ override: sourcesOf(o), icons: false }),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
        syntaxHighlighting(colours),
        look,
        EditorView.contentAttributes.of({ "aria-label": o.label, spellcheck: "false" }),
        EditorView.updateListener.of((u) => u.docChanged && o.changed(u.state.doc.toString())),
      ],
    }),
  });
}
