// The values of messages that are words of ours, and so are said in the reader's language. What has any other name is somebody's name, a number or a
// place, and stays as it is.

const worded = new Set([
  'compared',
  'message',
  'detail',
  'blocked',
  'reason',
  'fault',
  'says',
  'label',
  'kind',
  'entity',
  'problem',
  'what',
  'why',
  'finding',
  'word',
  'rest',
  'list',
])

export const isWorded = (name: string): boolean => worded.has(name)
