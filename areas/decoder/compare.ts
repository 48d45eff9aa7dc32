// Two decoded objects side by side: what stands at the same place of both, and whether it is the same.

type Field = { label: string; value?: string | undefined; note?: string | undefined; children?: readonly Field[] | undefined }

export type ComparedRow = { path: string; one: string; other: string; differs: boolean }

/** Every value of a tree by its path; what stands several times under one name is told apart by a number, from the second on. */
function flatten(fields: readonly Field[], above = ''): Map<string, string> {
  const found = new Map<string, string>()
  const seen = new Map<string, number>()
  for (const { label, value, note, children } of fields) {
    const count = (seen.get(label) ?? 0) + 1
    seen.set(label, count)
    const path = `${above === '' ? '' : `${above} › `}${label}${count === 1 ? '' : ` (${count})`}`
    const text = [value, note].filter((part) => part !== undefined && part !== '').join(' ')
    if (text !== '' || children === undefined) found.set(path, text)
    for (const [inner, innerText] of flatten(children ?? [], path)) found.set(inner, innerText)
  }
  return found
}

/** In the order of the first, what only the other has behind it where it stands there. */
export function compareFields(one: readonly Field[], other: readonly Field[]): ComparedRow[] {
  const [left, right] = [flatten(one), flatten(other)]
  const order = [...left.keys()]
  let at = 0
  for (const path of right.keys()) {
    const known = order.indexOf(path)
    if (known >= 0) at = known + 1
    else order.splice(at++, 0, path)
  }
  return order.map((path) => {
    const [a, b] = [left.get(path), right.get(path)]
    return { path, one: a ?? '', other: b ?? '', differs: a !== b }
  })
}
