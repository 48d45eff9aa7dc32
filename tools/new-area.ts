// Makes the plan of a new room. What it writes compiles and passes the checks as soon as the room stands in areas/order.ts.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [, , given] = process.argv
if (given === undefined || !/^[a-z][a-zA-Z]+$/.test(given)) {
  console.error('Usage: npm run new-area NAME, in letters, beginning small')
  process.exit(2)
}
const area: string = given
const folder = fileURLToPath(new URL(`../areas/${area}`, import.meta.url))
if (existsSync(folder)) {
  console.error(`areas/${area} exists`)
  process.exit(1)
}

const title = area.replace(/^./, (letter) => letter.toUpperCase())
const files: Record<string, string> = {
  'README.md': `# ${title}\n\nWhat it is for.\n\n## Words\n\n## Rules\n`,
  'contract.ts': `import * as z from 'zod'
import { contract } from '#core/contract/contract.ts'
import { Id, pageOf, PageQuery } from '#core/contract/shapes.ts'

export const ${area} = contract({
  area: '${area}',
  title: '${title}',
  calls: {
    search: {
      does: 'Lists what the room holds, a page at a time.',
      method: 'POST',
      path: '/api2/${title}-v1/Search',
      needs: 'signedIn',
      reads: true,
      input: PageQuery,
      output: pageOf(z.object({ id: Id })),
    },
  },
})
`,
  'server/index.ts': `import { serve } from '#core/server/serve.ts'
import { ${area} } from '../contract.ts'

export default serve(${area}, {
  async search() {
    return { rows: [], total: 0 }
  },
})
`,
  'server/store.ts': `import type { Database } from '#core/server/database.ts'

export type ${title}Tables = Record<never, never>

export const tables = (db: Database) => db.withTables<${title}Tables>()
`,
  'console/index.ts': `import { show } from '#core/console/show.ts'
import type { ${area} } from '../contract.ts'

export default show<typeof ${area}>('${area}', {})
`,
  'console/help.md': `# ${title}\n`,
}

for (const [path, text] of Object.entries(files)) {
  const file = join(folder, path)
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, text)
}
mkdirSync(join(folder, 'server/migrations'))
console.log(`areas/${area} is made. Put '${area}' into areas/order.ts where it belongs.`)
