import { Text } from '@mantine/core'
import { TextLink } from '../kit/links.tsx'
import { Page } from '../kit/Page.tsx'
import { t } from '../text.ts'

export function NotFound() {
  return (
    <Page title={t('Page Not Found')} narrow>
      <Text>{t('Sorry, the page you requested was not found.')}</Text>
      <TextLink to="/home">{t('Go to Home')}</TextLink>
    </Page>
  )
}
