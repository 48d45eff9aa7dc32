// The help of a room in the language of the person, where it is written in that one; in English elsewhere.

import type { ConsoleModule } from './show.ts'
import { formatLocale } from './text.ts'

type Load = NonNullable<ConsoleModule['help']>

export const withHelp = (module: ConsoleModule, others: Readonly<Record<string, Load>>): ConsoleModule =>
  module.help === undefined ? module : { ...module, help: () => (others[formatLocale()] ?? module.help ?? noHelp)() }

const noHelp: Load = async () => ({ default: '' })
