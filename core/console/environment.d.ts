// What the build supplies: the contracts as plain data, and one module per icon.

declare module 'virtual:contracts' {
  import type { Sendable } from '#core/console/send.ts'
  import type { Screen } from '#core/contract/contract.ts'
  /** Those that open signed out. */
  export const publicScreens: readonly Screen[]
  /** The calls that the shell itself makes. */
  export const doors: Readonly<
    Record<'bootstrap' | 'checkSession' | 'refreshSession' | 'legacyLogout' | 'logout' | 'switchTenancy', Sendable>
  >
}

declare module 'virtual:contracts/console' {
  import type { Screen } from '#core/contract/contract.ts'
  import type { RecordKind } from '#core/contract/records.ts'
  export const screens: readonly Screen[]
  export const records: readonly RecordKind[]
}

/** The console modules of all rooms, in the order of areas/order.ts. */
declare module 'virtual:rooms' {
  import type { ConsoleModule } from '#core/console/show.ts'
  export const consoleModules: readonly ConsoleModule[]
}

/** Those of rooms with a public screen. */
declare module 'virtual:rooms/public' {
  import type { ConsoleModule } from '#core/console/show.ts'
  export const consoleModules: readonly ConsoleModule[]
}

declare module '@tabler/icons-react/dist/esm/icons/*.mjs' {
  import type { TablerIcon } from '@tabler/icons-react'
  const icon: TablerIcon
  export default icon
}
