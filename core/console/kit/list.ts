// One hook for every list: the state in the address, one request for the visible page, the selection. The DataTable shows it.

import { useEffect, useMemo, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import type { Call, InputOf, OutputOf } from '#core/contract/contract.ts'
import { pageSizes } from '#core/contract/shapes.ts'
import type { CallFault } from '../call-fault.ts'
import { preferencesStore, setPreference, usePreference, type Preferences } from '../preferences.ts'
import { askAhead, useDispatch } from '../queries.ts'
import { queryClient } from '../query-client.ts'
import { dispatch } from '../send.ts'
import type { Filter } from './filter.ts'
import { nothingSelected, seenOf, type Selection } from './list-selection.ts'
import { changeList, lastPage, listNames, readListState, writeListState, type ListDefaults, type ListState } from './list-state.ts'
import { misspelt } from './typed-filters.ts'

export type RowOf<C extends Call> = OutputOf<C> extends { rows: readonly (infer Row)[] } ? Row : never

export type ListSettings<C extends Call> = {
  /** Names the list in the person's settings: `certificates.inventory`. */
  key: string
  /** Input that does not change: whose certificates, which authority. */
  base?: Partial<InputOf<C>>
  /** By the name of the call's input field. */
  filters?: { [K in keyof InputOf<C> & string]?: Filter }
  /**
   * For a page whose rows are asked for before it is drawn (askForList): the same question again. What the address may hold is then read by this question, so
   * that both ask alike, and `filters` says only which filters stand above the list, and in which words.
   */
  ahead?: ListQuestion<C>
  sort?: string
  direction?: 'asc' | 'desc'
  /** Another order while something is asked for: what ends soon by its end. The first that fits holds, until the person sorts. */
  sortWhile?: readonly SortWhile[]
  /** Rows on a page until the person chooses; 25 unless told. */
  size?: number
  refetchMilliseconds?: number
  /** Nothing else on the page reads the address: whatever the list does not know in it is told. */
  aloneInAddress?: boolean
  /** Of rows that can change while they are ticked: id and version. What is done to many is done to what was ticked. */
  versionOf?: (row: RowOf<C>) => readonly [id: string, version: number]
}

/** While the filter has one of these values; any where none are named. */
export type SortWhile = { filter: string; values?: readonly string[]; sort: string; direction: 'asc' | 'desc' }

/** What a list's call answers. `facets` counts by filter and value; `more` says that the total is only the counted part. */
export type ListAnswer<Row> = { rows: readonly Row[]; total: number; more?: boolean; facets?: Record<string, Record<string, number>> }

export type List<Row> = {
  key: string
  state: ListState
  filters: Record<string, Filter>
  /** By filter, the values in the address that the list does not know. They do not hold. */
  unread: Readonly<Record<string, readonly string[]>>
  /** Names in the address that are no filter, with the one that was probably meant. */
  misspelt: readonly { typed: string; meant: string | undefined }[]
  answer: ListAnswer<Row> | undefined
  fault: CallFault | undefined
  /** The first page is on its way. */
  loading: boolean
  /** The shown rows are the last page's while the next is on its way. */
  turning: boolean
  lastPage: number
  /** How many rows there are: 0 until it is known, -1 where the search failed. */
  total: number
  /** The call's input as it was sent, for bulk work and export. */
  input: Record<string, unknown>
  change(change: Partial<Omit<ListState, 'page'>>, options?: { replace?: boolean }): void
  turn(page: number): void
  clear(): void
  retry(): void
  selection: Selection
  select(selection: Selection): void
  /** The version of each row that was in view when it was ticked. */
  seen: Readonly<Record<string, number>>
  /** The versions in view now of the rows of another selection. */
  seenNow(selection: Selection): Readonly<Record<string, number>>
  /** One page of the same query, for the export. */
  fetchPage(page: number, size: number): Promise<ListAnswer<Row>>
}

/** What a list needs to know to ask for its rows; its words are no part of it. */
export type ListQuestion<C extends Call> = Pick<ListSettings<C>, 'key' | 'base' | 'sort' | 'direction' | 'sortWhile' | 'size'> & {
  filters?: { [K in keyof InputOf<C> & string]?: Pick<Filter, 'many' | 'read'> }
}

/** Asks for the rows that the list at this address will show, before it is drawn. */
export function askForList<C extends Call>(call: C, question: ListQuestion<C>, address: URLSearchParams): Promise<void> {
  return askAhead(call, readList(call, question, address, preferencesStore.getState().lists).input)
}

function readList<C extends Call>(
  call: C,
  { key, base, sortWhile = [], size, filters, ...usual }: ListQuestion<C>,
  address: URLSearchParams,
  lists: Preferences['lists'],
) {
  const { sort, direction } =
    sortWhile.find(({ filter, values }) => address.getAll(filter).some((value) => values?.includes(value) ?? true)) ?? usual
  const kinds: Record<string, Pick<Filter, 'many' | 'read'>> = onlyGiven(filters)
  const defaults: ListDefaults = {
    size: lists[key]?.size ?? size ?? 25,
    sort,
    ...(direction === undefined ? {} : { direction }),
    filterKeys: Object.keys(kinds),
    sizes: pageSizes,
  }
  const read = readListState(address, defaults)
  const inputOf = (state: ListState) => ({
    ...base,
    ...(state.text === '' ? {} : { text: state.text }),
    ...filterInput(kinds, state),
    ...(state.sort === undefined ? {} : { sort: state.sort, direction: state.direction }),
  })
  // Of an address that somebody mistyped, or that is older than the product, what is not understood is left out, and the list says so: a filter must not look as if it held.
  const checked = call.input.safeParse({ ...inputOf(read), page: read.page, size: read.size })
  const issues = checked.success ? [] : checked.error.issues
  const wrong = issues.map(({ path: [name, at] }) => ({ name: String(name), at }))
  const { known, unread } = cut(read.filters, wrong)
  const isWrong = (name: string) => wrong.some((one) => one.name === name)
  // How far a list can be turned its call says; further than that there is nothing either.
  const furthest = Math.min(
    read.page,
    ...issues.flatMap((issue) => (issue.path[0] === 'page' && issue.code === 'too_big' ? [Number(issue.maximum)] : [])),
  )
  const state = checked.success
    ? read
    : {
        ...read,
        ...(isWrong('text') ? { text: '' } : {}),
        ...(isWrong('sort') ? { sort, direction: direction ?? 'asc' } : {}),
        filters: known,
      }
  const query = inputOf(state)
  const wanted = { ...query, page: furthest, size: state.size }
  const fits = checked.success || call.input.safeParse(wanted).success
  return { defaults, state, query, fits, unread, input: fits ? wanted : { ...base, page: 1, size: state.size } }
}

/** Of several values of a filter those stay that are not at fault themselves. */
function cut(
  filters: ListState['filters'],
  wrong: readonly { name: string; at: unknown }[],
): Pick<List<unknown>, 'unread'> & { known: ListState['filters'] } {
  const isWrong = (name: string, value: number): boolean =>
    wrong.some((one) => one.name === name && (one.at === value || typeof one.at !== 'number'))
  const parts = Object.entries(filters).map(([name, values]) => ({
    name,
    kept: values.filter((_, at) => !isWrong(name, at)),
    left: values.filter((_, at) => isWrong(name, at)),
  }))
  return {
    known: Object.fromEntries(parts.flatMap(({ name, kept }) => (kept.length === 0 ? [] : [[name, kept]]))),
    unread: Object.fromEntries(parts.flatMap(({ name, left }) => (left.length === 0 ? [] : [[name, left]]))),
  }
}

const onlyGiven = <T>(filters: { [name: string]: T | undefined } | undefined): Record<string, T> =>
  Object.fromEntries(Object.entries(filters ?? {}).flatMap(([name, filter]) => (filter === undefined ? [] : [[name, filter]])))

export function useList<C extends Call>(call: C, settings: ListSettings<C>): List<RowOf<C>> {
  type Row = RowOf<C>
  const { key, base, refetchMilliseconds, versionOf, aloneInAddress = false } = settings
  const { ahead = settings } = settings
  const filters: Record<string, Filter> = onlyGiven(settings.filters)
  const lists = usePreference('lists')
  const [search, setSearch] = useSearchParams()
  const { defaults, state, query, fits, unread, input } = readList(call, ahead, search, lists)
  const [picked, setPicked] = usePicked(key)

  const reading = useDispatch(call, input, { keepPrevious: true, ...(refetchMilliseconds === undefined ? {} : { refetchMilliseconds }) })
  const answer = reading.data as ListAnswer<Row> | undefined

  // A selection belongs to one query: another search or filter starts with none.
  const queryText = JSON.stringify(query)
  // What can be chosen may be known later than the rows.
  const offeredText = JSON.stringify(filters)
  const { selection, seen } = picked.of === queryText ? picked : nothingPicked

  const misspeltNames = misspelt(search, [...listNames, ...defaults.filterKeys], aloneInAddress)

  const write = (next: ListState, replace = false): void => {
    // A page size that the person chooses becomes theirs; one that came with a link stays in the address.
    const chosen = next.size !== state.size
    if (chosen) setPreference('lists', { ...lists, [key]: { ...lists[key], size: next.size } })
    setSearch((before) => writeListState(before, next, chosen ? { ...defaults, size: next.size } : defaults), {
      replace,
      preventScrollReset: true,
    })
  }

  const seenNow = (next: Selection, before = nothingPicked): Record<string, number> =>
    versionOf === undefined ? {} : seenOf(next, before, (answer?.rows ?? []).map(versionOf))

  return useMemo(
    () => ({
      key,
      state,
      filters,
      unread,
      misspelt: misspeltNames,
      answer,
      fault: reading.error ?? undefined,
      loading: reading.isPending,
      turning: reading.isPlaceholderData,
      lastPage: lastPage(answer?.total ?? 0, state.size),
      total: totalOf(reading.error !== null, answer),
      input,
      change: (change, options) => write(changeList(state, change), options?.replace),
      turn: (page) => write({ ...state, page }),
      clear: () => {
        const cleared = new URLSearchParams(search)
        for (const { typed } of misspeltNames) cleared.delete(typed)
        setSearch(writeListState(cleared, changeList(state, { text: '', filters: {} }), defaults), { preventScrollReset: true })
      },
      retry: () => void reading.refetch(),
      selection,
      select: (next) => setPicked({ of: queryText, selection: next, seen: seenNow(next, { of: queryText, selection, seen }) }),
      seen,
      seenNow: (next) => seenNow(next),
      fetchPage: async (page, size) => (await dispatch(call, { ...(fits ? query : base), page, size })) as ListAnswer<Row>,
    }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps
    [search, reading.data, reading.error, reading.isPending, reading.isPlaceholderData, lists, picked, queryText, offeredText],
  )
}

// An hour is long for a look at a record, and short for what nobody comes back to.
queryClient.setQueryDefaults(['picked'], { gcTime: 3_600_000 })

/** Keeps what is ticked with the entry of the history, so that it is there again when the person comes back from a comparison. It ends with the session, as all that was read. */
function usePicked(list: string) {
  const entry = useLocation().key
  const [picked, setPicked] = useState(() => queryClient.getQueryData<Picked>(['picked', list, entry]) ?? nothingPicked)
  useEffect(() => {
    if (picked !== nothingPicked) queryClient.setQueryData<Picked>(['picked', list, entry], picked)
  }, [list, entry, picked])
  return [picked, setPicked] as const
}

type Picked = { of: string; selection: Selection; seen: Record<string, number> }

/** The specification's -1 tells a search that failed from one that found nothing. */
const totalOf = (failed: boolean, answer: { total: number } | undefined): number => (failed ? -1 : (answer?.total ?? 0))

const nothingPicked: Picked = { of: '', selection: nothingSelected, seen: {} }

const filterInput = (filters: Record<string, Pick<Filter, 'many' | 'read'>>, state: ListState): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, { many = false, read = asText }]) => {
      const values = (state.filters[name] ?? []).map(read)
      return values.length === 0 ? [] : [[name, many ? values : values[0]]]
    }),
  )

const asText = (text: string): unknown => text
