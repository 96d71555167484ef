// Draws views with the page's modules, for tests: reads {sheet, cases} from standard input, writes the elements.
// A case has a view, and optionally a style (the picture is drawn, with values if there are any) or a viewer (what the
// seat may see is returned).

import { readFileSync } from "node:fs";

const [, , folder] = process.argv;
const { makeStyle, useSheet } = await import(`${folder}/sheet.js`);
const { drawTable } = await import(`${folder}/table.js`);
const { merged, seenBy } = await import(`${folder}/views.js`);

const { sheet, cases } = JSON.parse(readFileSync(0, "utf8"));
useSheet(sheet);
const answers = cases.map(({ view, change, style, viewer, values }) => {
  if (change) return merged(view, change);
  return style ? drawTable(view, makeStyle(style), values) : seenBy(view, viewer);
});
process.stdout.write(JSON.stringify(answers));
