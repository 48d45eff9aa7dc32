import { IconId } from '@tabler/icons-react'
import { smartcards } from '#areas/smartcards/contract.ts'
import { LinkButton, TextLink } from '#core/console/kit/links.tsx'
import { Page } from '#core/console/kit/Page.tsx'
import { SmallTable } from '#core/console/kit/SmallTable.tsx'
import { EmptyState, Loaded } from '#core/console/kit/states.tsx'
import { useCall } from '#core/console/queries.ts'
import { t } from '#core/console/text.ts'
import { to } from '#core/contract/paths.ts'
import { printing } from '../contract.ts'

export function CardFaces() {
  const query = useCall(smartcards.calls.templateNames, {})
  return (
    <Page title={t('Faces of cards')}>
      <Loaded query={query}>
        {({ cardTemplates }) =>
          cardTemplates.length === 0 ? (
            <EmptyState
              icon={IconId}
              title={t('No template of cards')}
              text={t('A face belongs to a template of cards.')}
              action={<LinkButton to={to(smartcards.screens.addTemplate)}>{t('New template')}</LinkButton>}
            />
          ) : (
            <SmallTable
              label={t('Faces of cards')}
              rows={cardTemplates}
              rowId={({ cardTemplateId }) => cardTemplateId}
              columns={[
                {
                  label: t('Template of cards'),
                  cell: ({ cardTemplateId, name }) => <TextLink to={to(printing.screens.face, { id: cardTemplateId })}>{name}</TextLink>,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Page>
  )
}
