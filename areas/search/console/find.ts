import { send } from '#core/console/send.ts'
import type { SearchSource } from '#core/console/slots.ts'
import { search } from '../contract.ts'

export const findRecords: SearchSource = async (text, signal) => (await send(search.calls.find, { text }, { signal })).records
