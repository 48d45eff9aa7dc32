import type { licensing } from '#areas/licensing/contract.ts'
import { lazy, show } from '#core/console/show.ts'

export default show<typeof licensing>(
  'licensing',
  {
    licences: lazy(() => import('./Licences.tsx')),
    registration: lazy(() => import('./RegisteredAuthorities.tsx')),
    templates: lazy(() => import('./TenancyTemplates.tsx')),
    rules: lazy(() => import('./TemplateRules.tsx')),
    attestation: lazy(() => import('./TpmAttestation.tsx')),
    order: lazy(() => import('./TemplateOrder.tsx')),
  },
  { help: () => import('./help.md?raw') },
)
