import type { Endpoint } from './serve.ts'

/** An endpoint that may answer below HTTP. `line`: how the first line of its requests begins. */
export type QuickDoor = Endpoint & { shortWay: NonNullable<Endpoint['shortWay']>; beginning: string; line: string }
