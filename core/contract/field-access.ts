// Which fields of a thing somebody may see and change. A room declares its fields in groups, and asks here wherever a field leaves the server or steers what does: what
// may not be read can neither be shown nor sorted by, filtered by, searched or exported, because each of them would tell it.

import { passesDoor, type Asker } from './access.ts'
import type { Permission } from './permission-labels.ts'

export type FieldGroup<Field extends string = string> = {
  title: string
  fields: readonly Field[]
  /** Who sees and who changes the fields of others' records. */
  read: Permission
  write: Permission
  /** What everybody may do with these fields of the own record; nothing unless told. */
  own?: 'read' | 'write'
}

export type FieldGroups<Field extends string = string> = Readonly<Record<string, FieldGroup<Field>>>

/** Who asks. Its own record is the one whose `ownerId` is this id. */
export type FieldViewer = Asker & { userId: string }

/** One record, by whom it belongs to; or `'all'`: a list, which no own record opens a field of. */
export type Whose = { ownerId: string | undefined } | 'all'

/** A field that stands in no group belongs to nobody: a new field is hidden until somebody decides. */
export function fieldAccess<Field extends string>(groups: FieldGroups<Field>) {
  const groupOf = new Map<string, FieldGroup<Field>>()
  for (const group of Object.values(groups))
    for (const field of group.fields) {
      if (groupOf.has(field)) throw new TypeError(`The field ${field} stands in two groups`)
      groupOf.set(field, group)
    }

  const may = (way: 'read' | 'write', viewer: FieldViewer, whose: Whose, field: string): boolean => {
    const group = groupOf.get(field)
    if (group === undefined) return false
    if (passesDoor(viewer, { needs: group[way] })) return true
    // What somebody may change, that person may see: a form that is sent back must not empty what it did not show.
    if (way === 'read' && passesDoor(viewer, { needs: group.write })) return true
    // A token with scopes does what a scope says, and nothing because of whose it is.
    const isOwn = whose !== 'all' && whose.ownerId !== undefined && whose.ownerId === viewer.userId && viewer.narrowed !== true
    return isOwn && group.own !== undefined && (way === 'read' || group.own === 'write')
  }
  const fields = [...groupOf.keys()] as Field[]

  return {
    readable: (viewer: FieldViewer, whose: Whose): ReadonlySet<Field> =>
      new Set(fields.filter((field) => may('read', viewer, whose, field))),
    writable: (viewer: FieldViewer, whose: Whose): ReadonlySet<Field> =>
      new Set(fields.filter((field) => may('write', viewer, whose, field))),

    /** The record without what may not be read: a hidden field is not there, which is not the same as empty. */
    show<T extends object>(viewer: FieldViewer, whose: Whose, record: T): Partial<T> {
      // The names are those of the record itself.
      return Object.fromEntries(Object.entries(record).filter(([name]) => may('read', viewer, whose, name))) as Partial<T>
    },

    /**
     * The named fields of a list that may not be used, each once: for a refusal that names them. A field that does not exist is among them, alike, so that nobody
     * finds out names. Give it whatever a list, a search or an export names: columns, the sort, each filter.
     */
    hiddenAmong: (viewer: FieldViewer, named: Iterable<string>): string[] =>
      [...new Set(named)].filter((field) => !may('read', viewer, 'all', field)),

    /** The fields of a change that may not be written. Give it those whose value differs, so that a form which sends back what it was shown is taken. */
    unwritableAmong: (viewer: FieldViewer, whose: Whose, named: Iterable<string>): string[] =>
      [...new Set(named)].filter((field) => !may('write', viewer, whose, field)),

    /** How many groups are hidden of this record: "3 groups are not shown to you". */
    hiddenGroups: (viewer: FieldViewer, whose: Whose): number =>
      Object.values(groups).filter(({ fields: [first] }) => first !== undefined && !may('read', viewer, whose, first)).length,
  }
}
