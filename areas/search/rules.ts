/** What one search answers, shared evenly among the kinds. */
export const mostRecords = 100
/** Of each kind in the palette. */
export const mostOfKind = 10
export const mostViews = 200
