import { useCall } from '#core/console/queries.ts'
import { acme } from '../contract.ts'

/** Those that can be chosen from. */
export const useDirectories = () => useCall(acme.calls.directories, { size: 200 })
