/** What one search answers, in the palette too, shared evenly among the kinds. */
export const mostRecords = 100
export const mostViews = 200
