// The columns of a table, and the person's own choice and order of them.

import type { ReactNode } from 'react'
import type { Preferences } from '../preferences.ts'

export type Column<Row> = {
  key: string
  label: string
  /** What the cell shows; a text or number where `csv` is not given. */
  cell: (row: Row) => ReactNode
  /** True sorts by the column's key; a text by that name. The call's shape must allow it. */
  sort?: boolean | string
  /** The first column leads to the record, where there is a page of it: `link: (row) => to(certificates.screens.view, { id: row.id })`. */
  link?: (row: Row) => string | undefined
  /** The cell's text in the export; left out, the cell's own text. False leaves the column out. */
  csv?: ((row: Row) => string) | false
  align?: 'end'
  /** A CSS width. */
  width?: string
  /** Not shown until the person chooses it. */
  hidden?: boolean
  /** Where there is no room for all columns, those of a higher number stay longer; 0 unless told, and of equals the first. */
  priority?: number
  /** On a narrow screen it stands at the end of the first line: the status. */
  aside?: boolean
  /** On a narrow screen, where a row has two lines: false leaves it out, 'named' puts the column's name before it, as dates need. */
  phone?: false | 'named'
}

type Choice = Preferences['lists'][string] | undefined

export const sortName = <Row>(column: Column<Row>): string | undefined =>
  column.sort === true ? column.key : column.sort === false ? undefined : column.sort

/** All columns in the person's order; new ones stand where the table puts them. */
export function orderedColumns<Row>(columns: readonly Column<Row>[], choice: Choice): Column<Row>[] {
  const order = choice?.order ?? []
  const place = (column: Column<Row>, at: number) => (order.includes(column.key) ? order.indexOf(column.key) : order.length + at)
  const [first, ...rest] = columns
  if (first === undefined) return []
  return [
    first,
    ...rest
      .map((column, at) => ({ column, place: place(column, at) }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ column }) => column),
  ]
}

const hiddenKeys = <Row>(columns: readonly Column<Row>[], choice: Choice): string[] =>
  choice?.hidden ?? columns.filter((column) => column.hidden === true).map((column) => column.key)

/** The first column is always shown: it is the way to the record. */
export const visibleColumns = <Row>(columns: readonly Column<Row>[], choice: Choice): Column<Row>[] => {
  const hidden = hiddenKeys(columns, choice)
  return orderedColumns(columns, choice).filter((column, at) => at === 0 || !hidden.includes(column.key))
}

export const toggledColumn = <Row>(columns: readonly Column<Row>[], choice: Choice, key: string): string[] => {
  const hidden = hiddenKeys(columns, choice)
  return hidden.includes(key) ? hidden.filter((one) => one !== key) : [...hidden, key]
}

export function movedColumn<Row>(columns: readonly Column<Row>[], choice: Choice, key: string, by: -1 | 1): string[] {
  const keys = orderedColumns(columns, choice).map((column) => column.key)
  const at = keys.indexOf(key)
  const to = at + by
  if (at < 1 || to < 1 || to >= keys.length) return keys
  return keys.with(at, keys[to] ?? key).with(to, key)
}

export const cellText = <Row>(column: Column<Row>, row: Row): string =>
  typeof column.csv === 'function' ? column.csv(row) : plainText(column, row)

/** What the cell shows, where that is nothing but text. */
export const plainText = <Row>(column: Column<Row>, row: Row): string => {
  const shown = column.cell(row)
  return typeof shown === 'string' || typeof shown === 'number' ? String(shown) : ''
}
