// The dialog for a browser that lacks what the console needs. Plain elements: the kit may not run there.

import { t } from '../text.ts'
import classes from './BrowserOutdated.module.css'

/** Duration formatting and URL parsing (specification part 1 section 1). */
export const lacksFeatures = (intl: object = Intl, url: object = URL): boolean =>
  typeof Reflect.get(intl, 'DurationFormat') !== 'function' || typeof Reflect.get(url, 'parse') !== 'function'

export function BrowserOutdated() {
  return (
    <div
      role="alertdialog"
      aria-modal="true"
      aria-labelledby="outdated-title"
      aria-describedby="outdated-text"
      className={classes['dialog']}
    >
      <h1 id="outdated-title">{t('Your browser is out-of-date')}</h1>
      <p id="outdated-text">
        {t('Chancery needs a current version of Chrome, Firefox, Safari or Edge. Update your browser, then open this page again.')}
      </p>
    </div>
  )
}
