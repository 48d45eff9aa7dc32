// What the build of the console supplies to files that the server's types cover too (core/console/build/contracts-plugin.ts).

/** What the rows of the audit log are called. */
declare module 'virtual:contracts/log' {
  import type { LogLabels } from '#core/contract/log-labels.ts'
  export const areas: LogLabels['areas']
  export const names: LogLabels['names']
}
