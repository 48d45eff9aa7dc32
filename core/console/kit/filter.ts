import type { ComponentType } from 'react'

/** What can be chosen in a filter above a list. */
export type FilterOption = { value: string; label: string }

export type Filter = {
  label: string
  /** What can be chosen; absent where the answer's own `facets` say it. */
  options?: readonly FilterOption[]
  /** Asks the server for the choices that have a text in their names, where there may be more than are offered. */
  onSearch?: (text: string) => void
  /** What people call a value, where the choices come from the facets. */
  word?: (value: string) => string
  /** It has no button of its own: it stands behind "More filters". */
  more?: boolean
  /** It has no button at all: what is chosen is shown in the line below, to be taken away. */
  silent?: boolean
  /** Stands below the choices in the panel: fields for a range of one's own. */
  below?: ComponentType
  /** Several at once: the call takes an array. */
  many?: boolean
  /** From the address's text to the call's value: `(text) => text === 'true'`. */
  read?: (text: string) => unknown
}
