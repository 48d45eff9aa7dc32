// What is selected in a list: some rows by id, or all that match but some. On the wire it is selectAll, inclusionList and exclusionList,
// so that "all 61,204 matching" needs no 61,204 ids.

export type Selection = { all: boolean; ids: ReadonlySet<string> }

export type WireSelection = { selectAll: boolean; inclusionList: string[]; exclusionList: string[] }

export const nothingSelected: Selection = { all: false, ids: new Set() }
export const everythingSelected: Selection = { all: true, ids: new Set() }

export const isSelected = (selection: Selection, id: string): boolean => selection.all !== selection.ids.has(id)

export const selectedCount = (selection: Selection, total: number): number =>
  selection.all ? Math.max(0, total - selection.ids.size) : selection.ids.size

export function select(selection: Selection, ids: readonly string[], selected: boolean): Selection {
  const next = new Set(selection.ids)
  for (const id of ids)
    if (selection.all === selected) next.delete(id)
    else next.add(id)
  return { all: selection.all, ids: next }
}

/** The versions that were in view when their rows were ticked: those of before stay, however the rows look by now. */
export function seenOf(
  next: Selection,
  before: { selection: Selection; seen: Readonly<Record<string, number>> },
  inView: readonly (readonly [id: string, version: number])[],
): Record<string, number> {
  const fresh = inView.filter(([id]) => !isSelected(before.selection, id) || before.seen[id] === undefined)
  return Object.fromEntries([...Object.entries(before.seen), ...fresh].filter(([id]) => isSelected(next, id)))
}

export const wireSelection = (selection: Selection): WireSelection => ({
  selectAll: selection.all,
  inclusionList: selection.all ? [] : [...selection.ids],
  exclusionList: selection.all ? [...selection.ids] : [],
})
