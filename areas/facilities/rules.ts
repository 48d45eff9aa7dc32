// States of a synchronisation of the directory.

export const syncStates = ['never', 'running', 'done'] as const
export type SyncState = (typeof syncStates)[number]
