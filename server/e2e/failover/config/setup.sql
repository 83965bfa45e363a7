create role payoutd login password 'secret-of-payoutd';
create database payouts owner payoutd;
