// The whole state of a list, read from and written to the address, so that a link or a saved view shows the same rows.
// Any change but turning the page returns to page 1.

export type ListState = {
  text: string
  page: number
  size: number
  sort: string | undefined
  direction: 'asc' | 'desc'
  filters: Record<string, string[]>
}

export type ListDefaults = {
  size: number
  sort?: string | undefined
  direction?: 'asc' | 'desc'
  filterKeys: readonly string[]
  sizes: readonly number[]
}

/** What every list reads of the address besides its filters. */
export const listNames = ['text', 'page', 'size', 'sort', 'direction'] as const

export function readListState(search: URLSearchParams, defaults: ListDefaults): ListState {
  const size = Number(search.get('size'))
  const page = Number(search.get('page'))
  const direction = search.get('direction')
  return {
    text: search.get('text') ?? '',
    page: Number.isInteger(page) && page >= 1 ? page : 1,
    size: defaults.sizes.includes(size) ? size : defaults.size,
    sort: search.get('sort') ?? defaults.sort,
    direction: direction === 'asc' || direction === 'desc' ? direction : (defaults.direction ?? 'asc'),
    filters: Object.fromEntries(defaults.filterKeys.flatMap((key) => (search.has(key) ? [[key, [...new Set(search.getAll(key))]]] : []))),
  }
}

/** Leaves out what is as by default; other parameters of the address stay. */
export function writeListState(before: URLSearchParams, state: ListState, defaults: ListDefaults): URLSearchParams {
  const after = new URLSearchParams(before)
  for (const key of [...listNames, ...defaults.filterKeys]) after.delete(key)
  if (state.text !== '') after.set('text', state.text)
  for (const key of defaults.filterKeys) for (const value of state.filters[key] ?? []) after.append(key, value)
  if (state.sort !== undefined && (state.sort !== defaults.sort || state.direction !== (defaults.direction ?? 'asc'))) {
    after.set('sort', state.sort)
    after.set('direction', state.direction)
  }
  if (state.size !== defaults.size) after.set('size', String(state.size))
  if (state.page !== 1) after.set('page', String(state.page))
  return after
}

export const changeList = (state: ListState, change: Partial<Omit<ListState, 'page'>>): ListState => ({ ...state, ...change, page: 1 })

/** The first press sorts upwards, the next downwards. */
export const sortBy = (state: ListState, column: string): ListState =>
  changeList(state, { sort: column, direction: state.sort === column && state.direction === 'asc' ? 'desc' : 'asc' })

/** 1 where everything fits on one page, else the total divided by the size, rounded up. */
export const lastPage = (total: number, size: number): number => (total < size ? 1 : Math.ceil(total / size))

/** The pages offered as buttons: blocks of ten. */
const pagesPerBlock = 10

export function pageBlock(page: number, last: number): number[] {
  const first = Math.floor((page - 1) / pagesPerBlock) * pagesPerBlock + 1
  return Array.from({ length: Math.max(0, Math.min(pagesPerBlock, last - first + 1)) }, (_, at) => first + at)
}
