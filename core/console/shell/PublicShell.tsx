// The shell of sign-in, activation and set-up: a card in the middle, with a name and a colour before anybody signs in: the host's, or those of the tenancy whose page it is.

import type { ReactNode } from 'react'
import { useBootstrap, supportAddressOf } from '../bootstrap.ts'
import { publicBrandStore, type PublicBrand, type PublicLook } from '../public-brand.ts'
import { t } from '../text.ts'
import { LanguageLinks } from './LanguageLinks.tsx'
import { Logo } from './Logo.tsx'
import { Mark } from './Mark.tsx'
import classes from './PublicShell.module.css'
import { useTenantColours } from './tenant-colour.ts'

export function PublicShell({ children }: { children: ReactNode }) {
  const { tenancy, version } = useBootstrap()
  const brand: PublicBrand = publicBrandStore().brand ?? tenancy
  const colours = useTenantColours(brand.bannerColour)
  const support = supportAddressOf(brand)
  const look: PublicLook = brand.look ?? tenancy
  const band = look.bandColour === undefined ? undefined : { background: look.bandColour, color: look.bandText }
  return (
    <div className={classes['place']}>
      <main className={classes['card']} style={colours === undefined ? undefined : { borderBlockStart: `3px solid ${colours.line}` }}>
        <div className={classes['brand']} style={band} data-band={band !== undefined || undefined}>
          {look.icon === undefined ? <Mark /> : <Logo icon={look.icon} name={look.logoContainsAppName === true ? brand.name : ''} />}
          {look.logoContainsAppName !== true && <span>{brand.name === '' ? 'Chancery' : brand.name}</span>}
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
