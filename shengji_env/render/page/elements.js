// SVG elements as plain values, so that pictures can be compared without a browser (see picture/elements.py).

/** @typedef {{tag: string, attributes: Object<string, string>, children: Array<Element | string>}} Element */

/** Make an element; numbers are written with one decimal place at most.
 * @param {string} tag @param {Object<string, string | number>} attributes @param {...(Element | string)} children
 * @returns {Element} */
export function element(tag, attributes, ...children) {
  const texts = Object.entries(attributes).map(([name, value]) => [name, number(value)]);
  return { tag, attributes: Object.fromEntries(texts), children };
}

/** Make a group.
 * @param {Object<string, string | number>} attributes @param {...Element} children */
export function group(attributes, ...children) {
  return element("g", attributes, ...children);
}

/** Return an attribute as text; halves are rounded up.
 * @param {string | number} value */
export function number(value) {
  return typeof value === "string" ? value : String(Math.floor(value * 10 + 0.5) / 10);
}

/** Return the text of a transformation: scaled, then moved.
 * @param {number} x @param {number} y @param {number} scale */
export function place(x, y, scale = 1) {
  const moved = `translate(${number(x)} ${number(y)})`;
  return scale === 1 ? moved : `${moved} scale(${Math.floor(scale * 1000 + 0.5) / 1000})`;
}

/** Return an element and all elements in it.
 * @param {Element} root @returns {Element[]} */
export function walk(root) {
  return [root, ...root.children.flatMap((child) => (typeof child === "string" ? [] : walk(child)))];
}

const SVG = "http://www.w3.org/2000/svg";

/** Make a real SVG element of a value.
 * @param {Element} root @param {Document} page @returns {SVGElement} */
export function toSvg(root, page) {
  const made = page.createElementNS(SVG, root.tag);
  for (const [name, value] of Object.entries(root.attributes)) {
    if (name !== "xmlns") made.setAttribute(name, value);
  }
  for (const child of root.children) made.append(typeof child === "string" ? child : toSvg(child, page));
  return made;
}
