// The calls of this room for its screens. A file of its own, so that the editor does not load all cards of the home page with the contract.

import { news } from '../contract.ts'

export const { read, seen, settings, change } = news.calls
