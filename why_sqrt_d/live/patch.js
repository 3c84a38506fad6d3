/* What an element should hold, with as few changes as possible: most marks of a figure stay where they
   are when a control moves, and what did not change is not laid out or painted again. */

function copy(old, node) {
  for (const { name, value } of node.attributes)
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  if (old.attributes.length === node.attributes.length) return;
  for (const { name } of [...old.attributes])
    if (!node.hasAttribute(name)) old.removeAttribute(name);
}

/** Let `parent` hold these nodes or strings. Nodes of the same name are kept and made alike, so none
    of them may have a listener. */
export function patch(parent, wanted) {
  const held = [...parent.childNodes];
  wanted.forEach((one, i) => {
    const node = typeof one === "string" ? document.createTextNode(one) : one, old = held[i];
    if (!old) parent.append(node);
    else if (old.nodeName !== node.nodeName) old.replaceWith(node);
    else if (old.nodeType === Node.ELEMENT_NODE) {
      copy(old, node);
      patch(old, [...node.childNodes]);
    } else if (old.data !== node.data) old.data = node.data;
  });
  for (const old of held.slice(wanted.length)) old.remove();
}
