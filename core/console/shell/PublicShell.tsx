// The shell of sign-in, activation and set-up: a card in the middle, with a name and a colour before anybody signs in: the host's, or those of the tenancy whose page it is.

import type { ReactNode } from 'react'
import { useBootstrap, supportAddressOf } from '../bootstrap.ts'
import { publicBrandStore } from '../public-brand.ts'
import { t } from '../text.ts'
import { LanguageLinks } from './LanguageLinks.tsx'
import { Logo } from './Logo.tsx'
import { Mark } from './Mark.tsx'
import classes from './PublicShell.module.css'
import { useTenantColours } from './tenant-colour.ts'

export function PublicShell({ children }: { children: ReactNode }) {
  const { tenancy, version } = useBootstrap()
  const brand = publicBrandStore().brand ?? tenancy
  const colours = useTenantColours(brand.bannerColour)
  const support = supportAddressOf(brand)
  const band = tenancy.bandColour === undefined ? undefined : { background: tenancy.bandColour, color: tenancy.bandText }
  return (
    <div className={classes['place']}>
      <main className={classes['card']} style={colours === undefined ? undefined : { borderBlockStart: `3px solid ${colours.line}` }}>
        <div className={classes['brand']} style={band} data-band={band !== undefined || undefined}>
          {tenancy.icon === undefined ? (
            <Mark />
          ) : (
            <Logo icon={tenancy.icon} name={tenancy.logoContainsAppName === true ? brand.name : ''} />
          )}
          {tenancy.logoContainsAppName !== true && <span>{brand.name === '' ? 'Chancery' : brand.name}</span>}
        </div>
        {children}
      </main>
      <footer className={classes['foot']}>
        <a href={`mailto:${support}`}>{support}</a>
        <span>{t('Chancery {version}', { version })}</span>
        <LanguageLinks />
      </footer>
    </div>
  )
}
