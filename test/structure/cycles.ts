/** Returns every set of nodes that reach each other, each in order of names (Tarjan's strongly connected components). */
export function cyclesIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const indexes = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (node: string): number => {
    const index = indexes.size;
    indexes.set(node, index);
    stack.push(node);
    let low = index;
    for (const next of edges.get(node) ?? []) {
      if (!indexes.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, indexes.get(next) ?? low);
    }
    if (low === index) {
      const component = stack.splice(stack.indexOf(node));
      if (component.length > 1) cycles.push(component.sort());
    }
    return low;
  };
  for (const node of edges.keys()) if (!indexes.has(node)) visit(node);
  return cycles;
}
