// Decisions of this room that need nothing but their arguments, for both sides.

/** Of one kind in one answer; more are counted up to `countedTo`. */
export const mostItems = 50
export const countedTo = 100

export const mostOfPage = 100
/** Nobody turns pages further back; a filter by time leads there. */
export const mostOffset = 10_000

/** Where a page begins: the offset goes before the page number. An offset of nothing, or of less, leaves it to the page. */
export const skipOf = ({ page, offset, limit }: { page: number; offset: number; limit: number }): number =>
  Math.min(mostOffset, offset > 0 ? offset : (page - 1) * limit)
