import { ProtocolPage } from './ProtocolPage.tsx'

export const WindowsPage = () => <ProtocolPage protocol="windows" />
