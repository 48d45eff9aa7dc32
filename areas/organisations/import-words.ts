// What an import says of rows that it does not take.

export const importWords = {
  noSuchId: { says: 'There is no organisation with this id. Leave it empty to add one' },
  movesNothing: { says: 'An import moves nothing: it stands elsewhere' },
  longName: { says: 'Use at most 120 characters for each name' },
  aboveItself: { says: 'It stands above itself' },
  hangs: { says: 'Something hangs on it by now, so it stays' },
} as const
