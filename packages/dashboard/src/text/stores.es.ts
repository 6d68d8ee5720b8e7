import type { Text } from './en.ts';

export const stores = {
  nothing: 'Todavía no hay tiendas.',
  trend: { up: 'Se llena', down: 'Se vacía', level: 'Estable' },
  devices: {
    heading: 'Contadores',
    columns: ['Contador', 'Tienda', 'Estado', 'Última señal', 'Haces de luz', 'Por enviar', 'Versión'],
    online: 'Conectado',
    offline: 'Desconectado',
    never: 'nunca',
    beam: (position, isBlocked) => `${position}: ${isBlocked ? 'tapado' : 'libre'}`,
    none: 'Todavía no hay contadores.',
  },
  wall: {
    fullScreen: 'Pantalla completa',
    leave: 'Volver',
    lost: 'Sin contacto',
    asOf: (time) => `última actualización a las ${time}`,
  },
} satisfies Partial<Text>;
