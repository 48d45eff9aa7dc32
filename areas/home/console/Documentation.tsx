import { Page } from '#core/console/kit/Page.tsx'
import { Section } from '#core/console/kit/Section.tsx'
import { t } from '#core/console/text.ts'
import { DocumentList } from './DocumentList.tsx'

export function Documentation() {
  return (
    <Page
      title={t('Documentation')}
      intro={t('Every page has its own help behind the question mark above. These documents tell of the whole; they are in English.')}
      narrow
    >
      <Section title={t('Documents')}>
        <DocumentList />
      </Section>
    </Page>
  )
}
