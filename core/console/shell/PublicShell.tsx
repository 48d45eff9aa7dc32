// The shell of sign-in, activation and set-up: a card in the middle, with a name and a colour before anybody signs in: the host's, or those of the tenancy whose page it is.

import type { ReactNode } from 'react'
import { useBootstrap, supportAddressOf } from '../bootstrap.ts'
import { publicBrandStore } from '../public-brand.ts'
import { t } from '../text.ts'
import { LanguageLinks } from './LanguageLinks.tsx'
import { Mark } from './Mark.tsx'
import classes from './PublicShell.module.css'
import { useTenantColours } from './tenant-colour.ts'

export function PublicShell({ children }: { children: ReactNode }) {
  const { tenancy, version } = useBootstrap()
  const brand = publicBrandStore().brand ?? tenancy
  const colours = useTenantColours(brand.bannerColour)
  const support = supportAddressOf(brand)
  return (
    <div className={classes['place']}>
      <main className={classes['card']} style={colours === undefined ? undefined : { borderBlockStart: `3px solid ${colours.line}` }}>
        <div className={classes['brand']}>
          <Mark />
          <span>{brand.name === '' ? 'Chancery' : brand.name}</span>
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
