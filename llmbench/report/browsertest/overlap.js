// The pairs of texts that lie over one another, as a list of words.
(() => {
  const boxes = [];
  const seen = (node) => {
    for (let n = node; n && n !== document; n = n.parentNode) {
      if (n.nodeType === 1 && (getComputedStyle(n).display === "none" || (n.tagName === "DETAILS" && !n.open && !node.closest("summary")))) return false;
      // A table that scrolls in its own frame is cut there.
      if (n.classList?.contains("scroll") && n.scrollWidth > n.clientWidth + 1) return false;
    }
    return true;
  };
  const add = (text, rect) => {
    if (rect.width > 0.5 && rect.height > 0.5) boxes.push({ text: text.trim().slice(0, 40), rect });
  };
  for (const node of document.querySelectorAll("svg text")) if (seen(node)) add(node.textContent, node.getBoundingClientRect());
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!node.textContent.trim() || parent.closest("svg, script, style, #tip") || !seen(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) add(node.textContent, rect);
  }
  const found = [];
  boxes.sort((a, b) => a.rect.top - b.rect.top);
  for (let i = 0; i < boxes.length; i++) {
    for (let j = i + 1; j < boxes.length && boxes[j].rect.top < boxes[i].rect.bottom; j++) {
      const a = boxes[i].rect, b = boxes[j].rect;
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1 && high > 4) found.push(boxes[i].text + " / " + boxes[j].text);
    }
  }
  return found;
})()
