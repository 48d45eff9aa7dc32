// `import { IconTrash } from '@tabler/icons-react'` becomes one import per icon: the package's index names six thousand modules, and
// loading it costs every test file four seconds.

import type { Plugin } from 'vite'

const statement = /import\s*\{([^}]*)\}\s*from\s*['"]@tabler\/icons-react['"];?/g

export function splitIcons(code: string): string {
  return code.replace(statement, (whole, names: string) => {
    const imports = names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => name.split(/\s+as\s+/))
    if (imports.some(([icon]) => icon === undefined || !icon.startsWith('Icon') || icon === 'Icon')) return whole
    return imports.map(([icon, local = icon]) => `import ${local} from '@tabler/icons-react/dist/esm/icons/${icon}.mjs';`).join(' ')
  })
}

export const iconsPlugin = (): Plugin => ({
  name: 'chancery:icons',
  transform(code, id) {
    if (!/\.tsx?$/.test(id) || id.includes('/node_modules/') || !code.includes('@tabler/icons-react')) return undefined
    return { code: splitIcons(code), map: null }
  },
})
