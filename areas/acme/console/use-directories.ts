import { useCall } from '#core/console/queries.ts'
import { acme } from '../contract.ts'

export const mostDirectories = 50

/** The first of those that can be chosen from; a field finds the others (DirectoryField). */
export const useDirectories = () => useCall(acme.calls.directories, { size: mostDirectories })
