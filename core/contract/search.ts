// Where the inventory is. The room of search stands on the roof; the rooms below lead to their lists in it: `to(searchScreen, { searchType: 'user' }, { roleId })`.

export const searchScreen = { path: '/search/:searchType?' } as const

/** Rows on a page of a list in it, until the person chooses. */
export const searchPageSize = 25
